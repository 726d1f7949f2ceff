import { contractStepsOf } from './contract-steps';

const stepsOf = (statements: readonly string[]): string[] => contractStepsOf(statements).map(({ step }) => step);

const UPDATES_ALL = 'updates all rows, or all with a value in a column';
const REMOVES_ALL = 'removes all rows, or all with a value in a column';

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
    ["update sale set note = ''", UPDATES_ALL],
    ['update sale set note = (select note from partner where partner.id = sale.partner_id)', UPDATES_ALL],
    ['update only tandem.sale s set note = 1 where true', UPDATES_ALL],
    ['update sale set note = 1 where 1=1', UPDATES_ALL],
    ['update sale set note = 1 where oid is not null', UPDATES_ALL],
    ['update sale s set note = 1 where true and s."oid" is not null returning id', UPDATES_ALL],
    ['delete from sale where id = id', REMOVES_ALL],
    ['alter table sale add note text; update sale set note = kind where sale.note is null', UPDATES_ALL],
    ["update sale set note = 1 where 'a' = 'a'", UPDATES_ALL],
    ['update sale set note = 1 where 2 > 1', UPDATES_ALL],
    ['alter table sale add flag boolean default false; update sale set flag = true where not flag', UPDATES_ALL],
    ['alter table sale add flag boolean default false; update sale set flag = true where flag = false', UPDATES_ALL],
    ["alter table sale add note text; update sale set note = 1 where coalesce(note, '') = ''", UPDATES_ALL],
    ['alter table sale add note text; update sale set note = 1 where note isnull', UPDATES_ALL],
    ['alter table sale add note uuid unique', 'adds a constraint to existing rows'],
    ['alter table sale add size int check (size > 0)', 'adds a constraint to existing rows'],
    ['alter table sale add partner_id int default 1 references partner (id)', 'adds a constraint to existing rows'],
    ['alter table sale add exclude using gist (period with &&)', 'adds a constraint to existing rows'],
    ['drop type kind', 'drops a schema, type or sequence'],
    ['alter table sale set schema archive', 'moves something to another schema'],
    ['alter type kind rename value 1 to 2', 'renames something'],
    ['update sale set note = 1 where (1=1)', UPDATES_ALL],
    ['update sale set note = 1 where ((id is not null) and true)', UPDATES_ALL],
    ['update sale set note = 1 where (id) is not null', UPDATES_ALL],
    ['update sale set note = 1 where kind = 2 or id is not null', UPDATES_ALL],
    ['update sale set note = 1 where not false', UPDATES_ALL],
    ['update sale set note = 1 where id is not distinct from id', UPDATES_ALL],
    ['alter table tandem.sale add "note" text; update sale set note = 1 where (note) is null', UPDATES_ALL],
    ['with done as (update sale set note = 1 returning id) select id from done where id > 1', UPDATES_ALL],
    ['with note as (select 1 where true) update sale as s set note = 1', UPDATES_ALL],
    ['create unique index sale_note on sale (note)', 'creates an index that blocks writes'],
    ['delete from sale', REMOVES_ALL],
    ['delete from bus."sale"', REMOVES_ALL],
    ['delete from only tandem.sale as s using partner where true returning id', REMOVES_ALL],
    ['vacuum (full, analyze) sale', 'rewrites the table'],
    ['cluster sale using sale_pkey', 'rewrites the table'],
    ['reindex table sale', 'creates an index that blocks writes'],
    ["do $$ begin update sale set note = ''; end $$", UPDATES_ALL],
    ['do language plpgsql $do$ begin if true then delete from sale; end if; end $do$', REMOVES_ALL],
    ['do $$ begin for i in 1..9 loop alter table sale drop column note; end loop; end $$', 'drops a column'],
  ])('are reported if they empty, rewrite or lock a table, or break an older app version: %s', (statement, step) => {
    expect(stepsOf([statement])).toEqual([step]);
  });

  it.each([
    ['alter table sale add column note text'],
    ['alter table sale add column rename text'],
    ['alter table sale add partner_id int references partner (id)'],
    ['create table "note" (id uuid); update note set id = null'],
    ['create table partner.note (id uuid); update note set id = null'],
    ['alter table sale add flag boolean default false; update sale set flag = true where not flag and kind = 1'],
    ['update sale set state = 1 where created_at < now()'],
    ['update sale set state = 1 where false'],
    ["alter table sale add column note text not null default ''"],
    ['alter table sale alter column note drop not null'],
    ['alter table sale add column at timestamptz not null default now()'],
    ['update sale set state = 1 where state is null'],
    ['update sale set state = 1 where true and state is null'],
    ['update sale set state = 1 where state is not null and id in (select id from old)'],
    ['update sale set state = 1 where kind = 11 or kind = 1'],
    ['alter table sale add note text; update sale set note = 1 where note is null and id = 1'],
    ["update sale set state = 1 where nullif(note, '') is not null"],
    ['alter table sale add note text; update partner set state = 1 where note is null'],
    ['alter table sale add note text default 1; update sale set state = 1 where note is null'],
    ['update sale set state = 1 where (state is null) or id in (select id from old where true)'],
    ['create table sale_note (id uuid, note text); update sale_note set note = null'],
    ['with old as (select id from sale limit 9) update sale s set state = 1 from old where old.id = s.id'],
    ['insert into sale (id) values (1) on conflict (id) do update set state = 1'],
    ['create trigger note before update on sale for each row execute function note()'],
    ['alter table sale add constraint sale_price check (price > 0) not valid'],
    ['create index concurrently if not exists sale_note on sale (note)'],
    ['alter table sale drop constraint sale_price'],
    ["comment on column sale.note is 'drop table sale; truncate sale'"],
    ['drop index concurrently if exists sale_note'],
    ['delete from sale where note is null'],
    ['create table sale_note (id uuid); delete from sale_note'],
    ['reindex table\nconcurrently sale'],
    ['do $$ begin update sale set note = case when a then 1 else 2 end where note is null; end $$'],
    [
      'do $$ begin update sale set note = case when a then case b when 1 then 1 end else 2 end where note is null; end $$',
    ],
    ['do $$ begin update sale set note = 1 where note is null; end $$'],
    ['alter table sale alter note set default 1, add constraint sale_note check (note > 0) not valid'],
  ])('are not reported if they are safe while an older version of the app runs: %s', (statement) => {
    expect(stepsOf([statement])).toEqual([]);
  });

  it('are quoted as written, on one line and shortened', () => {
    const [short] = contractStepsOf(["UPDATE sale\n  SET a = 'B'"]);
    expect(short?.statement).toBe("UPDATE sale SET a = 'B'");
    const [long] = contractStepsOf([`update sale set a = ${'b + '.repeat(100)} c`]);
    expect(long?.statement).toHaveLength(300);
  });

  it('are attributed to the right table when the names of tables include a schema', () => {
    const statements = ['create table bus.note (id uuid)', 'create index note_id on bus.note (id)'];
    expect(stepsOf(statements)).toEqual([]);
    expect(stepsOf([...statements, 'alter table bus.sale drop column note'])).toEqual(['drops a column']);
  });

  it('may alter and index a table that the same migration creates', () => {
    const statements = ['create table note (id uuid)', 'create index note_id on note (id)'];
    expect(stepsOf([...statements, 'alter table note alter column id set not null'])).toEqual([]);
    const both = 'alter table note add size int not null; alter table sale drop column note';
    expect(stepsOf([...statements, both])).toEqual(['drops a column']);
  });
});
