import { z } from 'zod'
import { type AddAction, removal } from '#accounts/account-call.ts'
import type { Board } from '#accounts/boards.ts'
import { maxPictures, type Picture } from '#accounts/pictures.ts'
import type { AccountServices } from '#accounts/services.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { boardBody } from '#contract/accounts/board.ts'
import { newPictureBody } from '#contract/accounts/bodies.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import { paths } from '#contract/paths.ts'
import { requirePro } from '../http/serve-data.ts'

const sentChart = z.object({ chart: z.unknown() })

export function addShared(add: AddAction, services: AccountServices): void {
  const { pictures, boards } = services

  add.signedIn(accountActions.pictures, async ({ account }, { request }) =>
    (await pictures.list(account.id)).map((picture) => describePicture(picture, request.serviceUrl)),
  )
  add.signedIn(accountActions.createPicture, async ({ account }, call) => {
    requirePro(call.request.caller, paths.picture)
    const { name } = parseBody(newPictureBody, call.request.body)
    // Stored as sent: each request of the picture parses it again.
    const { chart } = sentChart.parse(call.request.body)
    const picture = await pictures.add(account.id, name, chart)
    if (picture) return [describePicture(picture, call.request.serviceUrl)]
    throw new ApiError('forbidden', `an account can have at most ${maxPictures} picture links: remove one first`)
  })
  add.signedIn(accountActions.removePicture, removal('picture', accountActions.pictures, pictures))

  const describeBoard = ({ content, share }: Board) => [{ ...content, share }]
  add.signedIn(accountActions.board, async ({ account }) => describeBoard(await boards.read(account.id)))
  add.signedIn(accountActions.writeBoard, async ({ account }, { request }) =>
    describeBoard(await boards.write(account.id, parseBody(boardBody, request.body))),
  )
  add.signedIn(accountActions.shareBoard, async ({ account }) => describeBoard(await boards.share(account.id)))
  add.signedIn(accountActions.unshareBoard, async ({ account }) => describeBoard(await boards.unshare(account.id)))
  add.open(accountActions.sharedBoard, async (call) => {
    const content = await boards.findShared(call.parameter('share'))
    if (content) return [content]
    throw new ApiError('not_found', 'this board is not shared, or no longer shared: ask its owner')
  })
}

const describePicture = ({ id, name, created_at }: Picture, address: string) => ({
  id,
  name,
  created_at,
  png_url: `${address}${paths.picture.replace('{file}', `${id}.png`)}`,
  svg_url: `${address}${paths.picture.replace('{file}', `${id}.svg`)}`,
})
