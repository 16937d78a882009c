module offsetd.dev/profilertables

go 1.19
