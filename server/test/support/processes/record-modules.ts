import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/**
 * Loaded by `NODE_OPTIONS=--import=…` before a program: appends the address of each module that the
 * program and its processes load to the file that `LOADED_MODULES` names.
 */
const file = process.env.LOADED_MODULES
if (file === undefined) throw new Error('LOADED_MODULES names the file of the list')

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(file, `${url}\n`)
    return nextLoad(url, context)
  },
})
