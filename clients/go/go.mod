module offsetd

go 1.19
