// Asks the hooks about a command, then runs one: hookshell serve from Go's standard library.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

type object = map[string]any

func main() {
	serve := exec.Command(os.Getenv("HOOKSHELL_BIN"), "serve")
	stdin, _ := serve.StdinPipe()
	stdout, _ := serve.StdoutPipe()
	serve.Start()
	requests, answers, id := json.NewEncoder(stdin), json.NewDecoder(stdout), 0.0
	call := func(method string, params object) object {
		id++
		requests.Encode(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		for {
			m := object{}
			if err := answers.Decode(&m); err != nil || m["error"] != nil {
				panic(fmt.Sprint(err, m["error"])) // No verdict, or no hookshell: take it for a deny.
			}
			if m["id"] == id {
				return m["result"].(object)
			} else if m["method"] == "$/output" {
				fmt.Print(m["params"].(object)["text"])
			}
		}
	}
	call("initialize", object{"protocol_version": 1, "defaults": object{"configs": []string{"hooks.json"}, "dialect": "crush"}})
	asked := call("hooks/run", object{"event": "PreToolUse", "tool": "bash", "input": object{"command": "rm -rf /"}})
	fmt.Println(asked["verdict"].(object)["decision"], asked["verdict"].(object)["reason"])
	ran := call("shell/exec", object{"command": "echo '{\"name\": \"Ada\"}' | jq -r .name; exit 3"})
	fmt.Println("exit code", ran["exit_code"])
	stdin.Close() // hookshell ends with its input, and takes all that it started along.
	serve.Wait()
}
