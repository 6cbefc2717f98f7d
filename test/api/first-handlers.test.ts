import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type RequestHandler } from 'express'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runFirst } from '#api/http/first-handlers.ts'

const failures: Readonly<Record<string, RequestHandler>> = {
  '/throws': () => {
    throw new Error('thrown')
  },
  '/rejects': () => Promise.reject(new Error('rejected')),
  '/passes': (_request, _response, next) => next(new Error('passed on')),
  '/unanswerable': () => {
    throw new Error('unanswerable')
  },
}
let server: Server
let url: string

beforeAll(async () => {
  const app = express()
  app.get('/app', (request, response) => void response.json({ path: request.path }))
  const fail: RequestHandler = (request, response, next) => {
    const failure = failures[request.originalUrl]
    return failure ? failure(request, response, next) : next()
  }
  const { classes, handle } = runFirst([fail], app, (error: Error, _request, response, _next) => {
    if (error.message === 'unanswerable') throw error
    response.status(500).json({ message: error.message })
  })
  server = createServer(classes, handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const ask = async (path: string) => {
  const response = await fetch(url + path)
  return [response.status, await response.json()]
}

it.each([
  ['/throws', 'thrown'],
  ['/rejects', 'rejected'],
  ['/passes', 'passed on'],
])('the error of a handler that %s is answered', async (path, message) => {
  expect(await ask(path)).toEqual([500, { message }])
})

it('a connection ends whose error cannot be answered, and the service goes on', async () => {
  await expect(fetch(`${url}/unanswerable`)).rejects.toThrow('fetch failed')
  expect(await ask('/app')).toEqual([200, { path: '/app' }])
})

it('a server with other classes of messages is refused', () => {
  const { handle } = runFirst([], express(), () => {})
  const { classes } = runFirst([], express(), () => {})
  const request = Object.create(classes.IncomingMessage!.prototype)
  expect(() => handle(request, Object.create(classes.ServerResponse!.prototype))).toThrow('other classes')
})
