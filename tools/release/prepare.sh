#!/bin/sh
# Writes what a release publishes into the new folder `release`, and its description into notes.md:
#
#   tools/release/prepare.sh v1.2.3
#
# .github/workflows/release.yml runs it. It needs helm.
set -eu
tag=${1:?usage: prepare.sh TAG}
cd "$(dirname "$0")/../.."
mkdir release
node tools/write-sbom.ts release/parley.cdx.json
node tools/release.ts --notes "$tag" >notes.md
helm package deploy/chart --destination release
