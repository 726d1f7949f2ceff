import type { Scene } from './scene';

interface OwnSale {
  readonly oid: string;
  readonly status: string;
  readonly amount: string;
  readonly qualifiedAt: string | null;
  readonly postback: { readonly status: string } | null;
}

interface Figures {
  readonly sales: number;
  readonly amount: string;
  readonly revoked: number;
  readonly refunded: number;
}

/**
 * Reads the partner's sales and its figures of the month, with the partner's token.
 * @param revoked the oid of a sale that the partner has revoked
 */
export async function lookAtSales(scene: Scene, token: string, revoked: string): Promise<void> {
  const { narrator } = scene;
  narrator.chapter('The partner looks at its sales, and at the figures of the month');
  const page = await scene.partner(token, 'GET', '/sales?limit=200');
  scene.expectStatus(page, 200);
  const sales = page.body.items as OwnSale[];
  const one = await scene.partner(token, 'GET', `/sales/${revoked}`);
  scene.expectStatus(one, 200);
  narrator.equal('the revoked sale shows its reason', [one.body.status, one.body.reason], ['revoked', 'returned']);
  const delivered = sales.filter(({ postback }) => postback?.status === 'delivered').length;
  narrator.check('sales show the state of their postbacks', delivered > 0, delivered);
  const statistics = await scene.partner(token, 'GET', '/statistics?by=month');
  scene.expectStatus(statistics, 200);
  const [figures] = statistics.body.totals as Figures[];
  const of = (status: string): number => sales.filter((sale) => sale.status === status && sale.qualifiedAt).length;
  const qualified = sales.filter(({ qualifiedAt }) => qualifiedAt !== null);
  const cents = qualified.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
  narrator.equal(
    'the figures match the list of sales',
    [figures?.sales, figures?.amount, figures?.revoked, figures?.refunded],
    [qualified.length, (cents / 100).toFixed(2), of('revoked'), of('refunded')],
  );
  const file = await scene.partner(token, 'GET', '/sales/export');
  scene.expectStatus(file, 200);
  narrator.equal('the export has a line for each sale', file.text.trimEnd().split('\r\n').length, sales.length + 1);
}
