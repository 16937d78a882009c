module dev.offsetd/bench/godwarf

go 1.19
