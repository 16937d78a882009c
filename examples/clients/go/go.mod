module offsets

go 1.19

require offsetd.dev/clients/go v0.0.0

replace offsetd.dev/clients/go => ../../../clients/go
