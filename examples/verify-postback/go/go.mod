module example.com/verify-postback

go 1.21
