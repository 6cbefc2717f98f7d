import { useTitle } from '../../app/title.ts'

export function Today() {
  useTitle('Today')
  return <h1>Today</h1>
}
