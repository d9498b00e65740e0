#!/usr/bin/env bash
# Releases an agent: builds it, verifies it, signs it with jarsigner, writes checksums, publishes it.
#
#   release.sh [build] [sign] [publish]      all three by default
#
# A signature is another one each time, and a release is never overwritten: what was signed once is published by
# `release.sh publish` alone when publishing was interrupted.
#
# Environment:
#   AGENT              agent.toml, Cargo.toml or a folder with one of them; the current folder by default
#   DIST               folder of what is released, dist by default
#   AGAINST            the jar of the release before: no new permission, bootstrap class or core, no wider policy, no growth
#   ALLOW_GROWTH       bytes by which the jar may be larger than that one
#   KEYSTORE, KEY_ALIAS, KEYSTORE_PASSWORD   the key for jarsigner
#   TSA                URL of a time stamping authority
#   REPOSITORY, GROUP  where to and as whose it is published; FATAGENT_REPOSITORY_USER and _PASSWORD where that is asked for
set -euo pipefail

dist="${DIST:-dist}"

build() {
  rm -rf "$dist"
  mkdir -p "$dist"
  local options=()
  if [ -n "${AGENT:-}" ]; then options=(--file "$AGENT"); fi
  fatagent build ${options[@]+"${options[@]}"} -o "$dist"
}

# The one jar in the folder.
jar() {
  local jars=("$dist"/*.jar)
  if [ "${#jars[@]}" -ne 1 ] || [ ! -f "${jars[0]}" ]; then
    echo "error: not exactly one jar in $dist: run \`release.sh build\` first" >&2
    exit 1
  fi
  printf '%s\n' "${jars[0]}"
}

verify() {
  local options=()
  if [ -n "${AGAINST:-}" ]; then options=(--against "$AGAINST" --allow-growth "${ALLOW_GROWTH:-0}"); fi
  fatagent verify "$1" ${options[@]+"${options[@]}"}
}

sign() {
  local jar options=()
  jar="$(jar)"
  # Before it is signed: the signature itself makes it larger.
  verify "$jar"
  if [ -n "${TSA:-}" ]; then options=(-tsa "$TSA"); fi
  jarsigner -keystore "${KEYSTORE:?}" -storepass:env KEYSTORE_PASSWORD ${options[@]+"${options[@]}"} "$jar" "${KEY_ALIAS:?}"
  # Its exit code is 0 for an unsigned jar, too.
  jarsigner -J-Duser.language=en -verify "$jar" | grep -q '^jar verified' || {
    echo "error: the signature of $jar does not hold" >&2
    exit 1
  }
  fatagent verify "$jar"
  (cd "$dist" && sha256sum -- *.jar > SHA256SUMS)
}

publish() {
  local jar
  jar="$(jar)"
  # What was signed is what is published.
  (cd "$dist" && sha256sum --check --strict --quiet SHA256SUMS)
  fatagent publish "$jar" --to "${REPOSITORY:?}" --group "${GROUP:?}"
}

steps=("$@")
if [ "${#steps[@]}" -eq 0 ]; then steps=(build sign publish); fi
for step in "${steps[@]}"; do
  case "$step" in
    build | sign | publish) ;;
    *)
      echo "error: not a step: $step; steps are build, sign and publish" >&2
      exit 2
      ;;
  esac
done
for step in "${steps[@]}"; do "$step"; done
