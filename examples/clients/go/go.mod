module offsets

go 1.19

require offsetd v0.0.0

replace offsetd => ../../../clients/go
