import { contractStepsOf } from './contract-steps';

describe('the statements of a migration', () => {
  it.each<[string, string]>([
    ['alter table sale drop column note', 'drops a column'],
    ['DROP TABLE sale', 'drops a table'],
    ['alter table sale rename column note to remark', 'renames something'],
    ['alter table sale alter column price type numeric', "changes a column's type"],
    ['alter table sale alter column note set not null', 'requires a column'],
    ['alter table sale alter column note drop default', 'drops a default'],
    ['alter table sale add column a text, add column note text not null', 'adds a required column without a default'],
    ['alter table sale add constraint sale_price check (price > 0)', 'adds a constraint to existing rows'],
    ['ALTER TABLE sale ADD PRIMARY KEY (topic, id)', 'adds a constraint to existing rows'],
    ['alter table sale drop note', 'drops a column'],
    ['alter table sale drop if exists "note"', 'drops a column'],
    ['alter table sale alter "note" set not null', 'requires a column'],
    ['alter table sale alter note type text', "changes a column's type"],
    ['alter table sale add note text not null', 'adds a required column without a default'],
    ['alter table sale add column price numeric(10, 2) not null', 'adds a required column without a default'],
    ['alter table tandem.sale add column note text not null', 'adds a required column without a default'],
    ['create table sale_note (id uuid); drop table sale', 'drops a table'],
    ['drop view sale_note', 'drops a view'],
    ['drop function if exists sale_total', 'drops a function'],
    ['create table sale_note (id uuid); alter table sale drop column note', 'drops a column'],
    ['create table sale_note (id uuid); create index sale_note on sale (note)', 'creates an index that blocks writes'],
    ["-- it's not read any more; since 1.4.0\nalter table sale drop column note", 'drops a column'],
    ['/* not read any more */ alter table sale drop column note', 'drops a column'],
    ['truncate sale', 'removes all rows'],
    ['create unique index sale_note on sale (note)', 'creates an index that blocks writes'],
  ])('contract: %s', (statement, step) => {
    expect(contractStepsOf([statement])).toEqual([step]);
  });

  it.each([
    ['alter table sale add column note text'],
    ["alter table sale add column note text not null default ''"],
    ['alter table sale alter column note drop not null'],
    ['alter table sale add constraint sale_price check (price > 0) not valid'],
    ['create index concurrently if not exists sale_note on sale (note)'],
    ['alter table sale drop constraint sale_price'],
    ["comment on column sale.note is 'drop table sale; truncate sale'"],
    ['drop index concurrently if exists sale_note'],
    ['alter table sale alter note set default 1, add constraint sale_note check (note > 0) not valid'],
  ])('expand: %s', (statement) => {
    expect(contractStepsOf([statement])).toEqual([]);
  });

  it('are matched by table, also with a schema name', () => {
    const statements = ['create table bus.note (id uuid)', 'create index note_id on bus.note (id)'];
    expect(contractStepsOf(statements)).toEqual([]);
    expect(contractStepsOf([...statements, 'alter table bus.sale drop column note'])).toEqual(['drops a column']);
  });

  it('may do anything to a table that the migration creates', () => {
    const statements = ['create table note (id uuid)', 'create index note_id on note (id)'];
    expect(contractStepsOf([...statements, 'alter table note alter column id set not null'])).toEqual([]);
    const both = 'alter table note add size int not null; alter table sale drop column note';
    expect(contractStepsOf([...statements, both])).toEqual(['drops a column']);
  });
});
