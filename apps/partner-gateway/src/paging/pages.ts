import { Injectable, type Type } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { type Page, SequenceCursors, toPage } from '@tandem/http-api';
import { EntityManager, type FindOptionsOrder, type FindOptionsSelect, type FindOptionsWhere, LessThan } from 'typeorm';
import { PartnerGatewayConfig } from '../config';
import type { PageQuery } from './page.dto';

/** A row of a list. `seq` increases with each new row. */
interface Listed {
  seq: string;
}

/** Identifies a list: the list's name, followed by its owner and filters. A cursor is valid only for a list with the same values. */
type ListName = readonly (string | undefined)[];

/** Reads managers' lists in pages, newest first, with signed cursors. */
@Injectable()
export class Pages {
  private readonly cursors: SequenceCursors;

  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    config: PartnerGatewayConfig,
  ) {
    this.cursors = new SequenceCursors(config.CURSOR_SIGNING_KEYS);
  }

  /**
   * Reads a page of the rows of an entity.
   *
   * @param where the owner and filters that `list` contains, as a condition
   * @throws InvalidCursorError
   */
  find<Row extends Listed>(
    entity: Type<Row>,
    list: ListName,
    where: FindOptionsWhere<Row>,
    query: PageQuery,
  ): Promise<Page<Row>> {
    return this.read(list, query, (before, take) =>
      this.manager.find(entity, {
        where: { ...where, ...(before === undefined ? {} : { seq: LessThan(before) }) },
        order: { seq: 'DESC' } as FindOptionsOrder<Row>,
        take,
      }),
    );
  }

  /** Counts the rows of an entity. @param most the count stops at this number, so that at most this many rows are read */
  async count<Row extends Listed>(entity: Type<Row>, where: FindOptionsWhere<Row>, most: number): Promise<number> {
    const select = { seq: true } as FindOptionsSelect<Row>;
    const order = { seq: 'DESC' } as FindOptionsOrder<Row>;
    return (await this.manager.find(entity, { select, where, order, take: most })).length;
  }

  /**
   * Reads a page of rows from any source.
   *
   * @param readRows returns the newest `count` rows whose `seq` is below `before`, or the newest `count` rows of all if `before` is
   * undefined
   * @throws InvalidCursorError
   */
  async read<Row extends Listed>(
    list: ListName,
    { cursor, limit }: PageQuery,
    readRows: (before: string | undefined, count: number) => Promise<Row[]>,
  ): Promise<Page<Row>> {
    const before = cursor === undefined ? undefined : this.cursors.decode(list, cursor);
    const asIs = (row: Row): Row => row;
    return toPage(await readRows(before, limit + 1), limit, asIs, ({ seq }) => this.cursors.encode(list, seq));
  }
}
