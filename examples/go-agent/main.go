// Asks the hooks about a command, then runs one: hookshell serve from Go's standard library.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

type message struct {
	ID     any // Ours are numbers; hookshell's questions, which this client has not offered to answer, are strings.
	Method string
	Params struct{ Text string }
	Result struct {
		Exit    int `json:"exit_code"`
		Verdict struct{ Decision, Reason string }
	}
	Error *struct{ Message string }
}

func main() {
	serve := exec.Command(os.Getenv("HOOKSHELL_BIN"), "serve")
	serve.Stderr = os.Stderr
	stdin, _ := serve.StdinPipe()
	stdout, _ := serve.StdoutPipe()
	if err := serve.Start(); err != nil {
		panic(err)
	}
	requests, answers, id := json.NewEncoder(stdin), json.NewDecoder(bufio.NewReader(stdout)), 0
	call := func(method string, params any) message {
		id++
		requests.Encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		for {
			var m message
			if err := answers.Decode(&m); err != nil {
				panic(err) // The process has ended: take it for a deny.
			}
			if m.Method == "$/output" {
				fmt.Print(m.Params.Text)
			} else if m.ID == float64(id) && m.Error != nil {
				panic(m.Error.Message) // An error is no verdict: take it for a deny, too.
			} else if m.ID == float64(id) {
				return m
			}
		}
	}
	call("initialize", map[string]any{"protocol_version": 1, "defaults": map[string]any{"configs": []string{"hooks.json"}, "dialect": "crush"}})
	asked := call("hooks/run", map[string]any{"event": "PreToolUse", "tool": "bash", "input": map[string]any{"command": "rm -rf /"}})
	fmt.Println(asked.Result.Verdict.Decision, asked.Result.Verdict.Reason)
	ran := call("shell/exec", map[string]any{"command": "echo '{\"name\": \"Ada\"}' | jq -r .name; exit 3"})
	fmt.Println("exit code", ran.Result.Exit)
	call("shutdown", map[string]any{})
	stdin.Close()
	serve.Wait()
}
