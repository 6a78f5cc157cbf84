#!/usr/bin/env node
import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'

// Keeps compiled code between runs; if the folder cannot be written, Node continues without a cache.
// Static imports would be compiled before this line, so the import below is dynamic.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/parley'))

// Node keeps in memory what it has read from this cache, 15 MB for the service, until it is flushed.
// Small parts are reused for the next modules. All of it, freed at the end, would leave holes in the
// C library's heap, which it does not return.
const modulesPerFlush = 50
let loadedModules = 0
registerHooks({
  load(url, context, nextLoad) {
    loadedModules += 1
    if (loadedModules % modulesPerFlush === 0) flushCompileCache()
    return nextLoad(url, context)
  },
})

const { runCommandLine } = await import('#commands/command-line.ts')

// A reader that closes the pipe early (`| head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`parley: the output cannot be written: ${error.message}\n`)
  process.exit(1)
})

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
})
