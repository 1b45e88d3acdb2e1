// Command witness runs the witness of transparency-dev for one log, in memory, on a free port of this machine. Its first line
// of output is JSON with its URL and its verifier key. It exits when its standard input ends.
//
//	witness -log VKEY [-name NAME]
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	cosignature "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/witness/persistence/inmemory"
	"github.com/transparency-dev/witness/witness"
	"golang.org/x/mod/sumdb/note"
)

func main() {
	logKey := flag.String("log", "", "the verifier `key` of the log")
	name := flag.String("name", "witness.example.org", "the `name` of the witness")
	flag.Parse()
	if err := serve(*logKey, *name); err != nil {
		log.Fatal(err)
	}
}

func serve(logKey, name string) error {
	verifier, err := note.NewVerifier(logKey)
	if err != nil {
		return err
	}
	secret, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return err
	}
	signer, err := cosignature.NewSignerForCosignatureV1(secret)
	if err != nil {
		return err
	}
	if public, err = cosignature.VKeyToCosignatureV1(public); err != nil {
		return err
	}
	ours, err := witness.New(context.Background(), witness.Opts{
		Persistence: inmemory.New(),
		Signers:     []note.Signer{signer},
		VerifierForLog: func(_ context.Context, origin string) (note.Verifier, bool, error) {
			return verifier, origin == verifier.Name(), nil
		},
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := map[string]string{"url": "http://" + listener.Addr().String(), "key": public}
	if err := json.NewEncoder(os.Stdout).Encode(address); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /add-checkpoint", witness.NewHTTPHandler(ours).AddCheckpoint)
	return http.Serve(listener, mux)
}
