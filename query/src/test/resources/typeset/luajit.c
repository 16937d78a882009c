/* One variable of each type that readers of LuaJIT's stacks need, so that its layout is in the debug information. */
#include "lj_obj.h"
#include "lj_jit.h"
#include "lj_dispatch.h"

GG_State state_and_more;
GCproto prototype;
GCfunc function;
GCobj object;
GCstr string;
GCtrace trace;
GCRef reference;
TValue value;
