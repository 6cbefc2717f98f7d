import type { Board } from '#accounts/boards.ts'
import { mostPictures, type Picture } from '#accounts/pictures.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { boardBody } from '#contract/accounts/board.ts'
import { newPictureBody } from '#contract/accounts/bodies.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import { paths } from '#contract/paths.ts'
import { requirePro } from '../http/serve-data.ts'
import { type AccountDesk, isoTime } from './account-service.ts'

/** Adds what people show to others: addresses of pictures, and the board that they keep. */
export function addShared(desk: AccountDesk): void {
  const { pictures, boards, calls } = desk.services

  desk.add(accountActions.pictures, async (request) =>
    (await pictures.list((await desk.signedIn(request)).account.id)).map((picture) =>
      shownPicture(picture, desk.addressIn(request)),
    ),
  )
  desk.add(accountActions.createPicture, async (request) => {
    const { account } = await desk.signedIn(request)
    requirePro(calls.of(request).caller, paths.picture)
    const { name } = parseBody(newPictureBody, request.body)
    // What was sent, as it is read again each time that the picture is asked for.
    const { chart } = request.body
    const picture = await pictures.add(account.id, name, chart)
    if (picture) return [shownPicture(picture, desk.addressIn(request))]
    throw new ApiError('forbidden', `an account can have at most ${mostPictures} picture links: remove one first`)
  })
  desk.add(accountActions.removePicture, async (request) => {
    const { account } = await desk.signedIn(request)
    const id = String(request.params.id)
    if (await pictures.remove(account.id, id)) return [{ id }]
    throw new ApiError('not_found', 'this account has no such picture: /v1/pictures lists them')
  })

  const shownBoard = async (accountId: number): Promise<(Board['content'] & Pick<Board, 'share'>)[]> => {
    const { content, share } = await boards.read(accountId)
    return [{ ...content, share }]
  }
  desk.add(accountActions.board, async (request) => shownBoard((await desk.signedIn(request)).account.id))
  desk.add(accountActions.writeBoard, async (request) => {
    const { account } = await desk.signedIn(request)
    await boards.write(account.id, parseBody(boardBody, request.body))
    return shownBoard(account.id)
  })
  desk.add(accountActions.shareBoard, async (request) => {
    const { account } = await desk.signedIn(request)
    await boards.share(account.id)
    return shownBoard(account.id)
  })
  desk.add(accountActions.unshareBoard, async (request) => {
    const { account } = await desk.signedIn(request)
    await boards.unshare(account.id)
    return shownBoard(account.id)
  })
  desk.add(accountActions.sharedBoard, async (request) => {
    const content = await boards.shared(String(request.params.share))
    if (content) return [content]
    throw new ApiError('not_found', 'this board is not shared, or no longer shared: ask its owner')
  })
}

const shownPicture = ({ id, name, created_at }: Picture, address: string) => ({
  id,
  name,
  created_at: isoTime(created_at),
  png_url: `${address}${paths.picture.replace('{file}', `${id}.png`)}`,
  svg_url: `${address}${paths.picture.replace('{file}', `${id}.svg`)}`,
})
