#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Compiled code, types already stripped, is kept between runs; without a writable folder Node
// goes on without. Static imports would be compiled before this line, hence the dynamic one.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/parley'))

const { runCommandLine } = await import('#commands/command-line.ts')

// Whoever reads our output may have read enough (`| head`): that is no failure.
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
