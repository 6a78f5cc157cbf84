#!/bin/sh
# Creates the release of a pushed tag from notes.md and the files of `release`:
#
#   tools/release/publish.sh v1.2.3
#
# .github/workflows/release.yml runs it. It needs gh, and GH_TOKEN with the right to write contents.
set -eu
tag=${1:?usage: publish.sh TAG}
cd "$(dirname "$0")/../.."
gh release create "$tag" --verify-tag --title "Parley ${tag#v}" --notes-file notes.md release/*
