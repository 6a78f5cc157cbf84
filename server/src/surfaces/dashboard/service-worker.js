// Keeps the dashboard's static files, so that a page of ours is shown while the service cannot be
// reached. It stores the empty page and its files, never an answer of the API, and removes itself at
// sign-out and when the session has ended.

const base = new URL('.', location.href).pathname
const shell = 'parley-shell'
const ignoreVary = true
/** True between a sign-out and the next page: scripts of the old page may still load files. */
let isForgotten = false

const isPage = (path) => /^(?:home|agents|settings)(?:\/|$)/.test(path)
/**
 * Pages of the service that are not the dashboard's, and the address that leads to it. They are never
 * stored.
 */
const isOtherPage = (path) => path === '' || /^(?:account|docs)(?:\/|$)/.test(path)

/** Stores the page, which is the same at every address, and the files that it begins with. */
async function keepPage(response) {
  const cache = await caches.open(shell)
  const html = await response.clone().text()
  const files = [...html.matchAll(/(?:href|src)="([^"]*\/assets\/[^"]+)"/g)].map(([, file]) => file)
  const known = await Promise.all(files.map((file) => cache.match(file, { ignoreVary })))
  if (known.includes(undefined)) {
    // A new build: the files of the old one are no longer needed.
    for (const request of await cache.keys()) await cache.delete(request)
    await cache.addAll(files)
  }
  await cache.put(base, response)
}

async function forget() {
  isForgotten = true
  await registration.unregister()
  await caches.delete(shell)
}

async function answerOtherPage(request) {
  try {
    return await fetch(request)
  } catch (error) {
    return await answerOffline(error)
  }
}

async function answerPage(event) {
  try {
    const response = await fetch(event.request)
    if (response.ok) {
      isForgotten = false
      event.waitUntil(keepPage(response.clone()))
    }
    // To the sign-in page: the session has ended.
    if (response.type === 'opaqueredirect') event.waitUntil(forget())
    return response
  } catch (error) {
    return await answerOffline(error)
  }
}

async function answerOffline(error) {
  const kept = await caches.match(base, { cacheName: shell, ignoreVary })
  if (kept === undefined) throw error
  return kept
}

/** The name of a file contains a hash of its content, so a stored one is never out of date. */
async function answerFile(event) {
  if (isForgotten) return await fetch(event.request)
  const cache = await caches.open(shell)
  const kept = await cache.match(event.request, { ignoreVary })
  if (kept !== undefined) return kept
  const response = await fetch(event.request)
  if (response.ok && !isForgotten) event.waitUntil(cache.put(event.request, response.clone()))
  return response
}

/** A session that has just ended leads to the page for signing in, which is not the dashboard's. */
async function keepFirstPage() {
  const response = await fetch(`${base}home`)
  if (response.ok && !response.redirected) await keepPage(response)
}

addEventListener('install', (event) => {
  event.waitUntil(Promise.all([skipWaiting(), keepFirstPage()]))
})

addEventListener('activate', (event) => {
  event.waitUntil(clients.claim())
})

addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const { origin, pathname } = new URL(url)
  if (origin !== location.origin || !pathname.startsWith(base)) return
  const path = pathname.slice(base.length)
  if (method === 'POST' && path === 'sign-out') event.waitUntil(forget())
  if (method !== 'GET') return
  if (mode === 'navigate' && isPage(path)) event.respondWith(answerPage(event))
  if (mode === 'navigate' && isOtherPage(path)) event.respondWith(answerOtherPage(event.request))
  if (path.startsWith('assets/')) event.respondWith(answerFile(event))
})
