"""Tools of programs: what agents and coordinators call, apart from what people do."""
