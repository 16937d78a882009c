/* One variable of each type that readers of PHP's stacks need, so that its layout is in the debug information. */
#include "php.h"
#include "SAPI.h"
#include "zend_execute.h"
#include "zend_extensions.h"

zend_executor_globals executor_state;
zend_execute_data frame;
zend_function function;
zend_class_entry class_entry;
zend_string string;
zend_op op;
zend_op_array op_array;
zval value;
zend_extension extension;
zend_module_entry module_entry;
sapi_globals_struct request;
