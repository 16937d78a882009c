#define WIDE
#include "variants.c"
