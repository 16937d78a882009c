module offsetd.dev/clients/go

go 1.19
