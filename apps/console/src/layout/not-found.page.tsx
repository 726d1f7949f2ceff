import { Empty } from '../components/empty';
import { Link } from '../components/link';
import { texts } from '../texts/common';

export const NotFoundPage = () => (
  <Empty title={texts.errors.notFound} action={<Link to="/">{texts.errors.notFoundBack}</Link>} />
);
