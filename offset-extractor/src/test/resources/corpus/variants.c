/* A struct that two units lay out differently: variants_wide.c is the other one. */
struct settings {
    int version;
#ifdef WIDE
    long timeout;
#else
    int timeout;
#endif
    char name[8];
};

#ifdef WIDE
struct settings wide;
#else
struct settings narrow;
#endif
