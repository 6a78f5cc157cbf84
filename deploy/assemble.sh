#!/bin/sh
# Puts everything that runs Parley, and nothing else, into a new folder: the code, the built dashboard,
# the packages of the service and the pinned Node. The image and install.sh use it. It needs npm and
# Node 20 or later.
#
#   deploy/assemble.sh /opt/parley
#
# ShellCheck reads this file, and the build of the image runs it.
set -eu
target=${1:?usage: deploy/assemble.sh FOLDER}
cd "$(dirname "$0")/.."
if [ -e "$target" ]; then
  echo "$target exists already" >&2
  exit 1
fi

node tools/setup.mjs
node tools/build-dashboard.mjs --if-changed

mkdir -p "$target/bin" "$target/server" "$target/dashboard" "$target/tools" "$target/deploy"
cp package.json package-lock.json .npmrc CHANGELOG.md LICENSE README.md "$target"
cp -R docs "$target"
# Not the whole folder: deploy/.env has the secrets of compose.yaml.
cp deploy/check-health.mjs deploy/fill-compile-cache.mjs "$target/deploy"
cp -R server/package.json server/src server/migrations "$target/server"
cp -R dashboard/package.json dashboard/dist "$target/dashboard"
cp tools/start.mjs "$target/tools"
cp deploy/parley.sh "$target/bin/parley"

cd "$target"
npm ci --omit=dev --omit=peer --workspace server --include-workspace-root --ignore-scripts --loglevel=error
mv node_modules/node-*/bin/node bin/node
# Types, source maps and tests, which no process reads, and the sources of packages: Node runs no TypeScript
# below node_modules.
rm -rf node_modules/node-* node_modules/.bin node_modules/*/test node_modules/@*/*/test
find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' \) -delete
find server -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.test.ts' \) -delete
