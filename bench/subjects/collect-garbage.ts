/**
 * Collects a service's garbage through its inspector, and asks how much of its heap is in use.
 *
 * @param port of the inspector: the service runs with `--inspect=127.0.0.1:PORT`
 * @returns megabytes
 */
export async function heapAfterCollection(port: number): Promise<number> {
  const targets = await fetch(`http://127.0.0.1:${port}/json/list`)
  // The inspector's list of its targets: https://chromedevtools.github.io/devtools-protocol/
  const [target] = (await targets.json()) as { readonly webSocketDebuggerUrl: string }[]
  if (target === undefined) throw new Error('the service has no inspector')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  let sent = 0
  const call = async (method: string) => {
    const id = (sent += 1)
    const { promise, resolve } = Promise.withResolvers<{ readonly usedSize?: number }>()
    socket.addEventListener('message', ({ data }) => {
      const answer = JSON.parse(String(data)) as { id?: number; result?: { usedSize?: number } }
      if (answer.id === id) resolve(answer.result ?? {})
    })
    socket.send(JSON.stringify({ id, method }))
    return await promise
  }
  try {
    await call('HeapProfiler.collectGarbage')
    await call('HeapProfiler.collectGarbage')
    const { usedSize = 0 } = await call('Runtime.getHeapUsage')
    return usedSize / 2 ** 20
  } finally {
    socket.close()
  }
}
