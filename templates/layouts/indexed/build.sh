#!/bin/sh
# Compiles the agent and packs it into the jars that agent.toml names. Needs a JDK of 17 or newer.
set -eu
cd "$(dirname "$0")"
rm -rf build
# All at once, since sections use each other; the package says whose each class is.
javac --release 8 -Xlint:-options -d build/classes $(find src -name '*.java')
cp -R src/report/META-INF build/classes
cd build/classes
jar --create --file ../boot.jar vitals/*.class
jar --create --file ../report.jar META-INF vitals/report
for section in text classes environment heap loaders processors properties threads uptime; do
  jar --create --file "../$section.jar" "vitals/$section"
done
