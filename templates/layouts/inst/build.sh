#!/bin/sh
# Compiles the agent and packs it into the jars that agent.toml names. Needs a JDK of 17 or newer.
set -eu
cd "$(dirname "$0")"
rm -rf build
java8="javac --release 8 -Xlint:-options"
$java8 -d build/boot src/boot/classcount/*.java
$java8 -cp build/boot -d build/agent src/agent/classcount/agent/*.java
javac --release 9 -Xlint:-options -cp build/boot:build/agent -d build/agent-9 src/agent-9/classcount/agent/*.java
cp -R src/agent/META-INF build/agent
jar --create --file build/boot.jar -C build/boot .
jar --create --file build/agent.jar -C build/agent . --release 9 -C build/agent-9 .
