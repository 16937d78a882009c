// Defines the classes that declared_holder.cpp holds.
#include "declared.h"

void net::Timer::fire() {
    ++rounds;
}

void daemons::Client::Session::close() {
    flags = 0;
}

void daemons::Client::shutdown() {
    name = nullptr;
}
