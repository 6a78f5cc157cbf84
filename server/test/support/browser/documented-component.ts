import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { compileScript, parse } from 'vue/compiler-sfc'

const root = join(import.meta.dirname, '../../../..')
const page = join(root, 'docs/widget.md')
const cache = join(root, 'node_modules/.cache/parley')

/** What mounts and unmounts the component, as `window.mount` and `window.unmount`. */
const harness = {
  jsx: `import { createElement, StrictMode } from 'react'
    import { createRoot } from 'react-dom/client'
    import { Parley } from './documented.jsx'
    let root
    window.mount = (props) => {
      root = createRoot(document.getElementById('app'))
      root.render(createElement(StrictMode, null, createElement(Parley, props)))
    }
    window.unmount = () => root.unmount()`,
  vue: `import { createApp } from 'vue'
    import Parley from './documented.jsx'
    let app
    window.mount = (props) => {
      app = createApp(Parley, props)
      app.mount('#app')
    }
    window.unmount = () => app.unmount()`,
} as const

/** Bundles a component of docs/widget.md as it stands there, with what mounts it. */
export async function bundleDocumented(language: keyof typeof harness): Promise<string> {
  const text = await readFile(page, 'utf8')
  const [, source] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(text) ?? []
  if (source === undefined) throw new Error(`docs/widget.md has no ${language} component`)
  // Below node_modules, where the bundler finds the packages.
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'documented-'))
  try {
    const component = language === 'vue' ? compileVue(source) : source
    await writeFile(join(folder, 'documented.jsx'), component)
    await writeFile(join(folder, 'harness.jsx'), harness[language])
    return await bundle(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function bundle(folder: string): Promise<string> {
  const built = await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    mode: 'development',
    define: {
      'process.env.NODE_ENV': '"development"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    build: {
      write: false,
      minify: false,
      lib: { entry: join(folder, 'harness.jsx'), formats: ['iife'], name: 'documented' },
    },
  })
  const [first] = Array.isArray(built) ? built : 'output' in built ? [built] : []
  if (first === undefined) throw new Error('the component was not bundled')
  return first.output[0].code
}

function compileVue(source: string): string {
  const { descriptor, errors } = parse(source)
  if (errors.length > 0) throw new AggregateError(errors, 'the Vue component is invalid')
  return compileScript(descriptor, { id: 'documented', inlineTemplate: true }).content
}
