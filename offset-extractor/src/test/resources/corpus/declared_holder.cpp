// Prints items with their offsets and sizes: members by value of classes that this unit only declares, because g++ describes a
// class in the unit of its first virtual function.
#include <cstddef>
#include <cstdio>

#include "declared.h"

namespace daemons {

struct Holder {
    char tag;
    Client client;
    net::Timer timers[2];
    int after;
};

struct Outer {
    Holder holder;
    Client::Session session;
    long last;
};

}  // namespace daemons

static daemons::Outer outer;

template <typename Part>
static void say(const char *item, const Part &part) {
    std::printf("%s %td %zu\n", item, reinterpret_cast<const char *>(&part) - reinterpret_cast<const char *>(&outer), sizeof part);
}

int main() {
    say("daemons::Outer", outer);
    say("daemons::Outer.holder", outer.holder);
    say("daemons::Outer.holder.client", outer.holder.client);
    say("daemons::Outer.holder.client.rounds", outer.holder.client.rounds);
    say("daemons::Outer.holder.client.current", outer.holder.client.current);
    say("daemons::Outer.holder.client.current.id[3]", outer.holder.client.current.id[3]);
    say("daemons::Outer.holder.timers", outer.holder.timers);
    say("daemons::Outer.holder.timers[1]", outer.holder.timers[1]);
    say("daemons::Outer.holder.timers[1].deadline", outer.holder.timers[1].deadline);
    say("daemons::Outer.holder.after", outer.holder.after);
    say("daemons::Outer.session", outer.session);
    say("daemons::Outer.session.id", outer.session.id);
    say("daemons::Outer.last", outer.last);
    return 0;
}
