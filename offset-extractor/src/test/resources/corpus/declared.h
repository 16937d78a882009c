// Classes whose first virtual functions are in declared_keeper.cpp.
namespace net {

class Timer {
public:
    virtual void fire();
    long deadline;
    int rounds;
};

}  // namespace net

namespace daemons {

class Client : public net::Timer {
public:
    struct Session {
        virtual void close();
        unsigned char id[20];
        short flags : 3;
    };

    virtual void shutdown();
    Session current;
    const char *name;
};

}  // namespace daemons
