#!/bin/sh
# Compiles the agent and packs it into the jars that agent.toml names. Needs a JDK of 17 or newer.
set -eu
cd "$(dirname "$0")"
rm -rf build
# Texts are joined without `invokedynamic`, which an agent should not link while the application starts.
compile="javac -Xlint:-options -XDstringConcat=inline -cp build/agent"
$compile --release 8 -d build/boot src/boot/heartbeat/*.java
$compile --release 8 -d build/agent src/agent/heartbeat/agent/*.java
$compile --release 9 -d build/agent-9 src/agent-9/heartbeat/agent/*.java
# For Java 21 and newer, but nothing in it needs a compiler of 21.
$compile --release 17 -d build/agent-21 src/agent-21/heartbeat/agent/*.java
jar --create --file build/boot.jar -C build/boot .
jar --create --file build/agent.jar -C build/agent . --release 9 -C build/agent-9 . --release 21 -C build/agent-21 .
