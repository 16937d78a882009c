/* An extension of PHP that counts calls by the way that led to them, with structs of its own beside PHP's. */
#include "php.h"

/* A function, called from one place. */
typedef struct _call_site {
    zend_string *function;
    struct _call_site *caller;
    size_t calls;
    HashTable callees;
    struct {
        size_t bytes;
        unsigned in_use : 20;
        unsigned peak : 12;
    } memory;
} call_site;

static call_site *current;

/* Goes on from the function that PHP is about to run. */
static void enter(zend_execute_data *frame)
{
    zend_function *function = frame->func;
    zend_string *name = function->common.function_name ? function->common.function_name : ZSTR_EMPTY_ALLOC();
    zend_class_entry *scope = function->common.scope;
    call_site *site = zend_hash_find_ptr(&current->callees, name);
    if (!site) {
        site = pecalloc(1, sizeof *site, 1);
        site->function = scope ? scope->name : name;
        site->caller = current;
        zend_hash_init(&site->callees, 8, NULL, NULL, 1);
        zend_hash_add_ptr(&current->callees, name, site);
    }
    site->calls++;
    site->memory.in_use += function->type == ZEND_USER_FUNCTION ? frame->opline->lineno : 0;
    current = site;
}

static void (*next_execute)(zend_execute_data *frame);

static void execute(zend_execute_data *frame)
{
    enter(EG(current_execute_data));
    next_execute(frame);
    current = current->caller;
}

static int start(int type, int module)
{
    (void)type, (void)module;
    current = pecalloc(1, sizeof *current, 1);
    zend_hash_init(&current->callees, 8, NULL, NULL, 1);
    next_execute = zend_execute_ex;
    zend_execute_ex = execute;
    return SUCCESS;
}

zend_module_entry call_sites_module_entry = {
    STANDARD_MODULE_HEADER, "call_sites", NULL, start, NULL, NULL, NULL, NULL, "1", STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(call_sites)
