import { z } from 'zod'
import { boardBody, boardRow } from '../board.ts'
import { newPictureBody } from '../bodies.ts'
import { pictureRow } from '../rows.ts'
import { create, get, idPath, list, post, remove, removedRow } from './defaults.ts'

const sharePath = z.object({ share: z.string().meta({ example: 'AbCdEfGhIjKlMnOpQrStUvWx' }) })

export const sharingActions = {
  pictures: {
    ...list,
    path: '/v1/pictures',
    summary: 'Public addresses of charts of the account, newest first',
    row: pictureRow,
  },
  createPicture: {
    ...create,
    path: '/v1/pictures',
    summary:
      'Create a public address of a chart for other sites, with the rights and limits of the account, valid until it is removed; needs tier pro',
    body: newPictureBody,
    row: pictureRow,
  },
  removePicture: {
    ...remove,
    path: '/v1/pictures/{id}',
    summary: 'Remove the address of a picture for good',
    pathParameters: idPath('AbCdEfGhIjKlMnOpQrStUvWx'),
    row: removedRow,
  },
  board: {
    ...get,
    path: '/v1/board',
    summary: 'The board of the account: addresses of charts on pages of this service',
    row: boardRow,
  },
  writeBoard: {
    ...post,
    path: '/v1/board',
    summary: 'Replace the board',
    body: boardBody,
    bodySize: '128kb',
    row: boardRow,
  },
  shareBoard: {
    ...post,
    path: '/v1/board/share',
    summary: 'Create a new share link to the board, which viewers see with their own rights; it replaces the older one',
    row: boardRow,
    status: 201,
  },
  unshareBoard: {
    ...remove,
    path: '/v1/board/share',
    summary: 'Stop sharing the board',
    row: boardRow,
  },
  sharedBoard: {
    ...get,
    path: '/v1/boards/{share}',
    summary: 'A board that somebody shares; needs no account',
    pathParameters: sharePath,
    row: boardBody,
  },
} as const
