// Types whose names people write shorter than the compiler does.

use std::collections::HashMap;

pub mod outer {
    pub mod inner {
        pub struct Held {
            pub count: u32,
        }
    }
    pub struct Generic<T> {
        pub value: T,
        pub more: u8,
    }
}

pub struct Used {
    pub bytes: Vec<u8>,
    pub texts: Vec<String>,
    pub table: HashMap<String, Vec<u8>>,
    pub held: outer::Generic<outer::inner::Held>,
}

#[no_mangle]
pub extern "C" fn used(all: &Used) -> usize {
    all.bytes.len() + all.texts.len() + all.table.len() + all.held.value.count as usize
}
