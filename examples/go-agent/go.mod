module example.com/hookshell/go-agent

go 1.21
