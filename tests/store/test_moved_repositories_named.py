"""Who stands in a repository that was moved is told how to say so."""

from __future__ import annotations

import pytest
from simulated_house import a_house

from toryo.domain.errors import NotFound
from toryo.usecases.finding import the_project


def test_a_folder_of_no_project_names_init_and_the_move():
    with a_house() as house, house.context.store.read() as tx:
        with pytest.raises(NotFound) as found:
            the_project(tx, path="/else where/shop")
        assert "`toryo init`" in found.value.hint
        assert "`toryo project move '/else where/shop'`" in found.value.hint
