import { useState } from 'preact/hooks'
import { type Unit, units } from '#contract/units.ts'
import { act, hasErrorCode } from '../../data/accounts.ts'
import { Snippet } from '../../parts/code.tsx'
import { Field, Form } from '../../parts/form.tsx'
import { Select } from '../../parts/select.tsx'

/** The operator saves; everybody else gets the file. */
export function SaveMetric({ formulas }: { readonly formulas: readonly string[] }) {
  const [chosen, setChosen] = useState('')
  const [unit, setUnit] = useState<Unit>('ratio')
  const [saved, setSaved] = useState<string>()
  const [refused, setRefused] = useState<string>()
  const formula = formulas.includes(chosen) ? chosen : (formulas[0] ?? '')
  const save = async ({ id = '', title = '', description = '' }: Readonly<Record<string, string>>): Promise<void> => {
    const body = { id, title, formula, unit, description }
    setSaved(undefined)
    const rows = await act('POST /v1/own-metrics', { body }).catch((error: unknown) => {
      if (hasErrorCode(error, 'forbidden')) setRefused(JSON.stringify(body, undefined, 2))
      throw error
    })
    setSaved(rows[0]?.file)
  }
  return (
    <details>
      <summary>Save a formula as a metric</summary>
      <Form action="Save as a metric" onSubmit={save}>
        <div class="options">
          <Select label="Formula" isLabeled value={formula} choices={toChoices(formulas)} onChange={setChosen} />
          <Select label="Unit" isLabeled value={unit} choices={toChoices(units)} onChange={setUnit} />
        </div>
        <Field label="Id" name="id" hint="In formulas and the API, such as sth_upper_band" />
        <Field label="Title of the metric" name="title" />
        <Field label="Description" name="description" />
      </Form>
      {saved && <p role="status">Saved as metrics/{saved}. The next update computes it.</p>}
      {refused && <Snippet title="The file that the operator can put into the folder metrics" text={refused} />}
    </details>
  )
}

const toChoices = <Text extends string>(texts: readonly Text[]) => texts.map((text) => [text, text] as const)
