from whole_daemon import Shop
def test_x(shop: Shop) -> None:
    t = shop.add_task()
    assert shop.hands.should_start("dev", shop.project)
    print(shop.hands.claim("dev", shop.project))
    shop.hands.prepare()
    run = shop.hands.start()
    assert shop.state(t) == "running implement"
    shop.hands.exit(run)
    shop.hands.collect()
    print(shop.state(t))
    shop.hands.land()
    assert shop.state(t) == "done"
