module offsets

go 1.19
