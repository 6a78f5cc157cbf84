import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startStripeServer } from './stripe-server.ts'
import { until } from './until.ts'

test('a payment server of a test takes half a request, as of one that was killed, for none', async () => {
  const stripe = await startStripeServer()
  const socket = connect(Number(new URL(stripe.baseUrl).port), '127.0.0.1')
  await once(socket, 'connect')
  const head = ['POST /v1/payment_intents HTTP/1.1', 'host: stripe', 'content-length: 100', '', '']
  socket.write(`${head.join('\r\n')}amount=990`)
  await until('it is being read', () => stripe.answering() === 1)
  socket.destroy()
  await until('it is given up', () => stripe.answering() === 0)
  expect([stripe.requests, stripe.intents.size]).toEqual([[], 0])
  await stripe.stop()
})
