import { z } from 'zod'

/** The parts of an OpenAPI document that the tests rely on. */
const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({
    schemas: z.record(z.string(), z.unknown()),
    responses: z.record(z.string(), z.unknown()),
  }),
})

const reference = z.object({ $ref: z.string() })

const operationSchema = z.object({
  parameters: z
    .array(
      z.object({
        in: z.enum(['query', 'path', 'header']),
        name: z.string(),
        required: z.boolean().optional(),
        schema: z.record(z.string(), z.unknown()),
      }),
    )
    .default([]),
  responses: z.record(
    z.string(),
    z.object({
      content: z.record(z.string(), z.looseObject({ schema: z.record(z.string(), z.unknown()) })).optional(),
    }),
  ),
})

export type Operation = z.infer<typeof operationSchema>

/** The API as `/docs` describes it, read as any client's generator would: from the JSON alone. */
export class Documented {
  static #read: Documented | undefined
  readonly #document: z.infer<typeof documentSchema>
  readonly #operations = new Map<string, ReadonlyMap<string, Operation>>()
  readonly #validators = new Map<string, z.ZodType | undefined>()

  private constructor(document: z.infer<typeof documentSchema>) {
    this.#document = document
  }

  /**
   * Reads the document of the first server in this process alone: those of others differ in their
   * address, and take half a second each.
   */
  static async read(url: string): Promise<Documented> {
    Documented.#read ??= Documented.of(await (await fetch(`${url}/docs`)).json())
    return Documented.#read
  }

  static of(written: unknown): Documented {
    const document = documentSchema.parse(written)
    const paths = JSON.stringify(document.paths, (_, value: unknown) => {
      const name = reference.safeParse(value).data?.$ref.match(/^#\/components\/responses\/(.+)$/)?.[1]
      return name === undefined ? value : document.components.responses[name]
    })
    return new Documented(documentSchema.parse({ ...document, paths: JSON.parse(paths) }))
  }

  /** All operations of a method, by path. */
  operations(method: 'get' | 'post' | 'delete'): ReadonlyMap<string, Operation> {
    const known = this.#operations.get(method)
    if (known) return known
    const found = Object.entries(this.#document.paths).filter(([, methods]) => methods[method] !== undefined)
    const parsed = new Map(found.map(([path, methods]) => [path, operationSchema.parse(methods[method])]))
    this.#operations.set(method, parsed)
    return parsed
  }

  /** What is wrong with the body of an answer; undefined if the document allows it. */
  problem(method: 'get' | 'post' | 'delete', path: string, status: number, body: unknown): string | undefined {
    const key = `${method} ${path} ${status}`
    if (!this.#validators.has(key)) this.#validators.set(key, this.#validator(method, path, status))
    const validator = this.#validators.get(key)
    if (!validator) return `${key} is not documented`
    const result = validator.safeParse(body)
    return result.success ? undefined : `${key}: ${z.prettifyError(result.error)}`
  }

  #validator(method: 'get' | 'post' | 'delete', path: string, status: number): z.ZodType | undefined {
    const response = this.operations(method).get(path)?.responses[status]
    const schema = response?.content?.['application/json']?.schema
    return schema && z.fromJSONSchema(this.#resolved(schema))
  }

  /** A schema with the components that it refers to. */
  #resolved(schema: unknown): z.core.JSONSchema.JSONSchema {
    const text = JSON.stringify(schema, (_, value: unknown) => {
      const name = reference.safeParse(value).data?.$ref.replace('#/components/schemas/', '')
      return name === undefined ? value : this.#document.components.schemas[name]
    })
    return z.record(z.string(), z.any()).parse(JSON.parse(text))
  }
}
