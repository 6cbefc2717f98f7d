import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from 'node:http'
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'

export interface Listener {
  readonly classes: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>
  /** Only for servers with these classes. */
  readonly handle: RequestListener
}

/**
 * Runs handlers before an app, whose router takes as long as they do. Messages are created with
 * Express's prototypes: changing the prototype of an object makes everything done with it slower.
 */
export function runFirst(
  handlers: readonly RequestHandler[],
  app: Express,
  handleError: ErrorRequestHandler,
): Listener {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request)
  Object.setPrototypeOf(AppResponse.prototype, app.response)
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype })
  const isOfApp = (messages: readonly object[]): messages is [Request, Response] =>
    messages[0] instanceof AppRequest && messages[1] instanceof AppResponse
  const run = (request: Request, response: Response, number: number): void => {
    const handler = handlers[number]
    if (!handler) return void app(request, response)
    const fail = (error: unknown): void => {
      try {
        handleError(error, request, response, () => {})
      } catch {
        // No answer, rather than the end of the process.
        response.destroy()
      }
    }
    try {
      const result = handler(request, response, (error?: unknown) =>
        error === undefined ? run(request, response, number + 1) : fail(error),
      )
      if (result instanceof Promise) result.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
  return {
    classes: { IncomingMessage: AppRequest, ServerResponse: AppResponse },
    handle: (...messages) => {
      if (!isOfApp(messages)) throw new Error('the server has other classes of messages')
      const [request, response] = messages
      // As Express does, which reads them.
      request.originalUrl = request.url
      request.res = response
      run(...messages, 0)
    },
  }
}
