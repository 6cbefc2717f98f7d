import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { shortDescription } from '#compute/catalogue/definition.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { networks } from '#ingest/chain/networks.ts'
import { createCatalogue as createToolCatalogue } from '#mcp/client/catalogue.ts'

const lastDay = 20_000
const cohorts = listCohorts({ days: Int32Array.of(14_247, lastDay) }, networks.mainnet.halvingInterval, lastDay)

/** Bitcoin's catalogue as the API serves it, with all ids and descriptions. */
export const catalogue = createToolCatalogue(
  { generation: 'test' },
  createCatalogue(networks.mainnet, cohorts).definitions.map((definition) => ({
    ...definition,
    short_description: shortDescription(definition.description),
    formula: definition.formula ?? null,
    variant: definition.variant ?? null,
    source: definition.source ?? null,
    first_date: null,
    related: [...definition.related],
    aliases: [...definition.aliases],
    active: true,
    intervals: [],
    cohorts: [],
  })),
)
