import { z } from 'zod'

const hostNames = z
  .string()
  .regex(/^([\w.[\]:-]+(, *[\w.[\]:-]+)*)?$/, 'must be host names with commas between them, without scheme and port')
  .default('')
  .transform((text) => (text === '' ? [] : text.split(/, */)))

export const toolSettings = z.object({
  COINSTRATA_URL: z
    .string()
    .default('http://127.0.0.1:3000')
    .describe('address of the API that `coinstrata mcp` reads from, without `/v1`'),
  COINSTRATA_API_KEY: z
    .string()
    .optional()
    .describe('API key of `coinstrata mcp` over stdio; without it you get demo data'),
  MCP_HOST: z.string().min(1).default('127.0.0.1').describe('address on which `coinstrata mcp --http` listens'),
  MCP_PORT: z.coerce.number().int().min(0).max(65_535).default(3001).describe('port of `coinstrata mcp --http`'),
  MCP_ALLOWED_HOSTS: hostNames.describe(
    'host names that the tools accept in `Host`, besides loopback and `PUBLIC_URL`; by default, tools that do not listen on loopback accept any; with `ACCESS=open`, API and pages accept them too',
  ),
  MCP_ALLOWED_ORIGINS: hostNames.describe(
    'hosts of web pages that can call the tools, besides loopback and `PUBLIC_URL`; with `ACCESS=open`, they can read the API too, as no other page can',
  ),
  PUBLIC_URL: z
    .string()
    .regex(/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/, 'must be an address such as https://api.example.com')
    .transform((address) => address.replace(/\/+$/, ''))
    .optional()
    .describe('public address of the API, for links to charts'),
  TOOL_SERVER_SECRET: z
    .string()
    .regex(/^[\x21-\x7e]{32,200}$/, 'must have 32 to 200 characters, without spaces')
    .optional()
    .describe(
      'secret shared by the API and a separate tool server, so that callers without a key are counted one by one: 32 characters or more; by default a new one per process',
    ),
})

export type ToolSettings = z.infer<typeof toolSettings>
