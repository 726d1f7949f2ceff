import { Injectable, type Type } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { type Page, SequenceCursors, toPage } from '@tandem/http-api';
import { EntityManager, type FindOptionsOrder, type FindOptionsSelect, type FindOptionsWhere, LessThan } from 'typeorm';
import { PartnerGatewayConfig } from '../config';
import type { PageQuery } from './page.dto';

/** A row of a list: newer rows have a higher `seq`. */
interface Listed {
  seq: string;
}

/** The name of a list, its owner and its filters. A cursor is valid only for a list that has the same name, owner and filters. */
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

  /** Reads a page of the rows of an entity. @param where the filters that `list` names @throws InvalidCursorError */
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

  /** Counts the rows of an entity. @param most the highest count: it reads no further rows, and only their `seq` */
  async count<Row extends Listed>(entity: Type<Row>, where: FindOptionsWhere<Row>, most: number): Promise<number> {
    const select = { seq: true } as FindOptionsSelect<Row>;
    const order = { seq: 'DESC' } as FindOptionsOrder<Row>;
    return (await this.manager.find(entity, { select, where, order, take: most })).length;
  }

  /**
   * Reads a page of rows from any source.
   *
   * @param readRows returns the first `count` rows with a `seq` below `before`, or the first `count` rows of the whole list
   * if `before` is undefined
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
