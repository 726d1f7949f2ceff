// Verifies Tandem's postbacks (https://www.standardwebhooks.com) with the standard library: Go 1.21 or newer.
//
//	POSTBACK_AUTHORIZATION='Bearer my-own-key' POSTBACK_SIGNING_SECRETS='whsec_…' PORT=3000 go run .
//
// This runs an endpoint that accepts signed postbacks; copy VerifyPostback into your code. With authMethod Basic, the
// authorization is 'Basic <base64 of user:password>'. During the rotation of a secret, pass the new and the old one, separated
// by a space: POSTBACK_SIGNING_SECRETS='whsec_new… whsec_old…'.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 300 * time.Second
	// The maximum size of a body. No postback is larger.
	maxBodyBytes = 1 << 20
)

var unixSeconds = regexp.MustCompile(`^[0-9]{1,12}$`)

// VerifyPostback returns the webhook-id, the same for every retry, or an error when the postback cannot be trusted.
//
// authorization is the whole header that you expect: "Bearer <key>", or "Basic <base64 of user:password>".
// secrets are "whsec_…". Pass several during a rotation: one of them must match. rawBody is the body exactly as it was received: JSON
// that was parsed and serialized again may differ.
func VerifyPostback(authorization string, secrets []string, headers http.Header, rawBody []byte, now time.Time) (string, error) {
	if !hmac.Equal([]byte(headers.Get("authorization")), []byte(authorization)) {
		return "", errors.New("the authorization is wrong")
	}
	id := headers.Get("webhook-id")
	timestamp := headers.Get("webhook-timestamp")
	signatures := headers.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return "", errors.New("a webhook header is missing")
	}
	if !unixSeconds.MatchString(timestamp) {
		return "", errors.New("the timestamp is not in Unix seconds")
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return "", errors.New("the timestamp is not in Unix seconds")
	}
	if now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return "", errors.New("the timestamp is too old or too new")
	}

	matches := 0
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			return "", fmt.Errorf("a signing secret is not base64: %w", err)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(rawBody)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		// The header has one entry for each secret that signs: "v1,<base64> v1,<base64>". Entries of other versions match nothing.
		for _, entry := range strings.Split(signatures, " ") {
			// Compares in constant time, so that the duration does not reveal how many characters match.
			if hmac.Equal([]byte(entry), expected) {
				matches++
			}
		}
	}
	if matches == 0 {
		return "", errors.New("no signature matches")
	}
	return id, nil
}

// Ids of handled postbacks. Store yours in a database, with a unique key, in the transaction that books the sale.
var handled sync.Map

// What the endpoint requires of a postback.
type settings struct {
	authorization string
	secrets       []string
}

func (expected settings) takePostback(response http.ResponseWriter, request *http.Request) {
	rawBody, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		http.Error(response, "the body is too long", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(response, "the body was not read", http.StatusBadRequest)
		return
	}
	id, err := VerifyPostback(expected.authorization, expected.secrets, request.Header, rawBody, time.Now())
	if err != nil {
		http.Error(response, err.Error(), http.StatusUnauthorized)
		return
	}
	if _, before := handled.Load(id); before {
		fmt.Fprint(response, "handled before")
		return
	}
	received, ok := postbackOf(rawBody)
	if !ok {
		http.Error(response, "the body is not a postback", http.StatusUnauthorized)
		return
	}
	answer := handle(received)
	handled.Store(id, true)
	fmt.Fprint(response, answer)
}

// The body of a postback: a sale or, if it has an event, a notice about an earlier sale.
type body struct {
	Event    string `json:"event"`
	Oid      string `json:"oid"`
	SharedID string `json:"sharedId"`
	Status   string `json:"status"`
	// Nil unless the body has the array `items`.
	Items []json.RawMessage `json:"items"`
}

// Returns the body of a sale or a notice. Of an event of a later version, returns only the name. Reports false for any other body.
func postbackOf(rawBody []byte) (body, bool) {
	var kind struct {
		Event string `json:"event"`
	}
	if err := json.Unmarshal(rawBody, &kind); err != nil {
		return body{}, false
	}
	if kind.Event != "" && kind.Event != "sale.closed" {
		return body{Event: kind.Event}, true
	}
	var received body
	if err := json.Unmarshal(rawBody, &received); err != nil || received.Oid == "" {
		return body{}, false
	}
	if received.Event == "" {
		return received, received.Items != nil
	}
	return received, received.Status != ""
}

// Sales and notices come to the same URL. Distinguish them by the body, because the body is signed and the header X-Event is not.
func handle(received body) string {
	switch received.Event {
	case "":
		if strings.HasPrefix(received.Oid, "test_") { // sent by POST /partner/postback/test: book nothing
			return "sample"
		}
		fmt.Printf("sale %s of %q\n", received.Oid, received.SharedID)
		return "handled"
	case "sale.closed": // refunded or charged_back: take back what you gave for it
		fmt.Printf("sale %s is %s\n", received.Oid, received.Status)
		return "closed"
	default: // an event of a later version
		return "ignored"
	}
}

var (
	authorizationForm = regexp.MustCompile(`^(Bearer|Basic) \S+$`)
	secretForm        = regexp.MustCompile(`^whsec_[A-Za-z0-9+/]+={0,2}$`)
)

// Returns the expected Authorization header and the secrets. Fails if one is missing or malformed: with such settings, every
// postback would be refused or, worse, accepted.
func readSettings() (settings, error) {
	authorization := os.Getenv("POSTBACK_AUTHORIZATION")
	if !authorizationForm.MatchString(authorization) {
		return settings{}, errors.New(`POSTBACK_AUTHORIZATION must be "Bearer <key>" or "Basic <base64 of user:password>"`)
	}
	secrets := strings.Fields(os.Getenv("POSTBACK_SIGNING_SECRETS"))
	usable := len(secrets) > 0
	for _, secret := range secrets {
		usable = usable && secretForm.MatchString(secret)
	}
	if !usable {
		return settings{}, errors.New("POSTBACK_SIGNING_SECRETS must be whsec_…; during a rotation two of them, separated by a space")
	}
	return settings{authorization, secrets}, nil
}

func main() {
	expected, err := readSettings()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, http.HandlerFunc(expected.takePostback)))
}
