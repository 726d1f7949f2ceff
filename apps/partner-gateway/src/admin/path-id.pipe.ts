import { NotFoundException, Param, type PipeTransform } from '@nestjs/common';

/** Refuses an id from the path if it contains U+0000, which Postgres cannot store in text. */
class PathIdPipe implements PipeTransform<string, string> {
  constructor(private readonly NotFound: new () => Error) {}

  transform(id: string): string {
    if (id.includes('\0')) throw new this.NotFound();
    return id;
  }
}

/**
 * Injects an id from the path.
 *
 * @param NotFound the error that the operation throws for an unknown id; by default a 404 with the code `not_found`
 */
export const PathId = (name: string, NotFound: new () => Error = NotFoundException): ParameterDecorator =>
  Param(name, new PathIdPipe(NotFound));
