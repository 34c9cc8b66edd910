module peers

go 1.21

require (
	github.com/juju/ratelimit v1.0.2
	go.uber.org/ratelimit v0.3.1
	golang.org/x/time v0.16.0
)
